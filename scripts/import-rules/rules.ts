import { builtinModules } from 'node:module'
import type { IForbiddenRuleType } from 'dependency-cruiser'
import { expressEdges, type Layer, layers, paying } from './layers.ts'
import { type RoomPlan, roomPlans } from './rooms.ts'

/** All rules, generated from the layers and rooms. */
export const importRules: readonly IForbiddenRuleType[] = [
  {
    name: 'no-circular',
    severity: 'error',
    from: { path: '^(packages|apps)/' },
    to: { circular: true },
  },
  {
    name: 'not-to-unresolvable',
    severity: 'error',
    from: { path: '^(packages|apps)/' },
    to: { couldNotResolve: true },
  },
  {
    name: 'import-packages-by-name',
    comment: 'A relative path into another package bypasses its exports.',
    severity: 'error',
    from: { path: '^((?:packages|apps)/[^/]+)/' },
    to: { path: '^(packages|apps)/', pathNot: '^$1/', dependencyTypes: ['local'] },
  },
  {
    name: 'packages-never-import-apps',
    severity: 'error',
    from: { path: '^packages/' },
    to: { path: '^apps/' },
  },
  {
    name: 'apps-do-not-import-each-other',
    comment: 'They serve the same site, which is a folder of files.',
    severity: 'error',
    from: { path: '^(apps/[^/]+)/' },
    to: { path: '^apps/', pathNot: ['^$1/', '^apps/web/src/index\\.ts$'] },
  },
  {
    name: 'estimator-never-pays',
    comment: 'Not on any path, including indirect ones.',
    severity: 'error',
    from: { path: '^apps/estimator/src/' },
    to: { path: `^packages/(${paying.join('|')})/`, reachable: true },
  },
  {
    name: 'express-only-at-the-edge',
    severity: 'error',
    from: {
      path: '^(packages|apps)/[^/]+/src/',
      pathNot: expressEdges.map((path) => `^${path}`),
    },
    to: { path: installed(['express']) },
  },
  {
    name: 'source-never-imports-tests',
    comment: 'The benchmarks start the servers that tests start; the apps start as npm start does.',
    severity: 'error',
    from: { path: '^(packages|apps)/[^/]+/src/', pathNot: '^apps/bench/' },
    to: { path: '^(packages|apps)/[^/]+/(test|bench)/|^scripts/', pathNot: '^scripts/boot/' },
  },
  {
    name: 'x402-express-is-an-oracle-of-tests',
    severity: 'error',
    from: { path: '^(packages|apps)/[^/]+/src/' },
    to: { path: installed(['x402-express', 'x402-fetch']) },
  },
  ...layers.flatMap(layerRules),
  ...layers.flatMap(purityRules),
  ...roomPlans.flatMap(roomRules),
]

function layerRules({ name, workspace, external }: Layer): readonly IForbiddenRuleType[] {
  const from = { path: `^packages/${name}/src/` }
  return [
    {
      name: `layer-${name}`,
      severity: 'error',
      from,
      to: {
        path: '^packages/',
        pathNot: `^packages/(${[name, ...workspace].join('|')})/`,
      },
    },
    {
      name: `layer-${name}-external`,
      severity: 'error',
      from,
      to: {
        path: '(^|/)node_modules/',
        ...(external.length === 0 ? {} : { pathNot: installed(external) }),
      },
    },
  ]
}

/** The domain does not use Node; a mixed package uses it only behind entry points that its root never imports. */
function purityRules({ name, node }: Layer): readonly IForbiddenRuleType[] {
  switch (node) {
    case 'everywhere':
      return []
    case 'nowhere':
      return [
        {
          name: 'domain-is-pure',
          severity: 'error',
          from: { path: `^packages/${name}/src/` },
          to: { dependencyTypes: ['core'] },
        },
      ]
    case 'behind a door':
      return [
        {
          name: 'root-never-reaches-node',
          severity: 'error',
          from: { path: `^packages/${name}/src/index\\.ts$` },
          to: { path: `^(node:)?(${builtinModules.join('|')})$`, reachable: true },
        },
      ]
  }
}

/** A room may import itself and the rooms before it, but not the files of the folder above. */
function roomRules({ place, rooms }: RoomPlan): readonly IForbiddenRuleType[] {
  const inside = rooms.map((room) =>
    room.includes('.') ? `${room.replace('.', '\\.')}$` : `${room}/`,
  )
  return inside.map((room, index) => ({
    name: 'rooms-build-on-earlier-rooms',
    severity: 'error',
    from: { path: `^${place}/${room}` },
    to: { path: `^${place}/`, pathNot: `^${place}/(${inside.slice(0, index + 1).join('|')})` },
  }))
}

/** Matches a file of one of these packages, wherever the package manager stores it. */
function installed(names: readonly string[]): string {
  const alternatives = names.map((name) => name.replace(/\/\*$/, '/[^/]+'))
  return `(^|/)node_modules/(@types/)?(${alternatives.join('|')})/`
}
