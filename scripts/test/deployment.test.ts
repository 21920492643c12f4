import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { settings as estimatorSettings } from '../../apps/estimator/src/settings.ts'
import { settings as gatewaySettings } from '../../apps/gateway/src/settings.ts'
import { defaultTimeouts } from '../../packages/provider-proxy/src/transport/timeouts.ts'
import { announceSkip } from '../testing/announce-skip.ts'
import { findOnPath } from '../testing/find-binary.ts'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

type Service = {
  readonly env_file?: readonly string[]
  readonly environment?: Readonly<Record<string, unknown>>
  readonly image?: string
  readonly restart: string
  readonly volumes?: readonly string[]
  readonly build?: { readonly dockerfile: string }
  readonly command?: readonly string[]
  readonly depends_on?: Readonly<Record<string, unknown>>
}

const compose = parse(read('deploy/compose.yaml'), { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>
}
const { services } = compose
const gateways = ['gateway-a', 'gateway-b'].map((name) => services[name])
const chartFolder = new URL('../../deploy/helm/farebox', import.meta.url).pathname

test('every setting of the file reaches the gateways, and theirs have known names', () => {
  for (const gateway of gateways) {
    expect(gateway?.env_file).toEqual([expect.stringContaining('farebox.env')])
    const names = Object.keys(gateway?.environment ?? {})
    // The driver of PostgreSQL reads this one.
    expect(names.filter((name) => !(name in gatewaySettings))).toEqual(['PGPASSWORD'])
    expect(Object.values(gateway?.environment ?? {}).every(Boolean)).toBe(true)
  }
})

test('a password may have any characters', () => {
  for (const gateway of gateways) {
    expect(gateway?.environment?.['PGPASSWORD']).toMatch(/^\$\{POSTGRES_PASSWORD:\?\}$/)
    expect(gateway?.environment?.['DATABASE_URL']).toBe('postgres://farebox@postgres/farebox')
  }
})

test('every setting of the estimator reaches it, and no other does', () => {
  const { environment = {}, env_file } = services['estimator'] ?? {}
  expect(env_file).toBe(undefined)
  // Without a volume it has no use for a folder; its name in traces is not that of the gateways.
  const given = [...Object.keys(environment), 'DATA_DIR', 'OTEL_SERVICE_NAME']
  expect(given.toSorted()).toEqual(Object.keys(estimatorSettings).toSorted())
})

test('every service of Compose runs again after a reboot, unless it was stopped', () => {
  const restarts = Object.values(services).map(({ restart }) => restart)
  expect(restarts).toEqual(Array(6).fill('unless-stopped'))
})

test('systemd does not try an invalid configuration again', () => {
  expect(read('deploy/systemd/farebox.service')).toContain('RestartPreventExitStatus=2')
})

test('the gateways of a Kubernetes release have the job name of the alert rules in Prometheus', () => {
  const [, job] = /up\{job="(\w+)"\}/.exec(read('deploy/monitoring/alerts.yaml')) ?? []
  expect(parse(read('deploy/monitoring/prometheus.yaml'))).toMatchObject({
    scrape_configs: [{ job_name: job }],
  })
  const label = 'app.kubernetes.io/name'
  expect(read('deploy/helm/farebox/templates/service.yaml')).toContain(`jobLabel: ${label}\n`)
  expect(read('deploy/helm/farebox/templates/_helpers.tpl')).toContain(`${label}: ${job}\n`)
})

test.each(['upstreams.conf', 'compose-upstreams.conf'])(
  'the proxy reaches every service by its name and port: %s',
  (file) => {
    const targets = [
      ...read(`deploy/nginx/${file}`).matchAll(/server ([a-z-]+):(\d+)(?: resolve)?;/g),
    ]
    expect(targets.map(([, name]) => name)).toEqual(['gateway-a', 'gateway-b', 'estimator'])
    for (const [, name = '', port] of targets) {
      expect(String(services[name]?.environment?.['PORT'])).toBe(port)
    }
    const groups = [...read('deploy/nginx/farebox.conf').matchAll(/proxy_pass http:\/\/(\w+);/g)]
    for (const [, group] of groups)
      expect(read(`deploy/nginx/${file}`)).toContain(`upstream ${group} {`)
  },
)

test('the proxy waits longer for an answer than a provider may take', () => {
  const settlement = 60
  const [, wait] = /proxy_read_timeout (\d+)s;/.exec(read('deploy/nginx/farebox.conf')) ?? []
  expect(Number(wait)).toBeGreaterThanOrEqual(defaultTimeouts.total / 1_000 + settlement)
})

test('in Compose the proxy asks again for the address of a server that was started again', () => {
  const conf = read('deploy/nginx/compose-upstreams.conf')
  expect(conf).toContain('resolver 127.0.0.11 valid=5s')
  expect(conf.match(/^ {4}server .*$/gm)).toEqual(
    Array(3).fill(expect.stringMatching(/ resolve;$/)),
  )
  expect(conf.match(/^ {4}zone /gm)).toHaveLength(2)
  const [, major, minor] = /nginx:(\d+)\.(\d+)/.exec(String(services['proxy']?.image)) ?? []
  expect(Number(major) * 100 + Number(minor)).toBeGreaterThanOrEqual(128)
  expect(services['proxy']?.volumes?.map((volume) => volume.split(':')[0])).toEqual([
    './nginx/farebox.conf',
    './nginx/compose-upstreams.conf',
  ])
})

test('the proxy looks up the addresses again when Compose has replaced the servers behind it', () => {
  const restarted = { condition: 'service_started', restart: true }
  expect(services['proxy']?.depends_on).toEqual({
    'gateway-a': restarted,
    'gateway-b': restarted,
    estimator: restarted,
  })
})

test('the image is built with the tools of the repository, and does not run as root', () => {
  const dockerfile = read('deploy/Dockerfile')
  const { packageManager } = JSON.parse(read('package.json')) as { packageManager: string }
  expect(dockerfile).toContain(`npm install --global ${packageManager}`)
  expect(dockerfile.trimEnd().split('FROM').at(-1)).toMatch(/^USER node$/m)
  const commands = [/CMD \["(.+?)"\]/.exec(dockerfile)?.[1], services['estimator']?.command?.[0]]
  expect(commands).toEqual(['apps/gateway/dist/main.js', 'apps/estimator/dist/main.js'])
})

test.each([
  [{}, '127.0.0.1:4020', 0],
  [{}, '127.0.0.1:4021', 0],
  [{}, '127.0.0.1:80', 1],
  [{ PORT: '' }, '127.0.0.1:4020', 0],
  [{ PORT: '9000' }, '127.0.0.1:9000', 0],
  [{ PORT: '9000' }, '127.0.0.1:4020', 1],
  [{ HOST: '' }, '127.0.0.1:4020', 0],
  [{ HOST: '0.0.0.0' }, '0.0.0.0:4020', 0],
  [{ HOST: '192.0.2.7' }, '192.0.2.7:4020', 0],
  [{ HOST: '192.0.2.7' }, '127.0.0.1:4020', 1],
  [{ HOST: '::', PORT: '9000' }, '[::]:9000', 0],
])(
  'the image with %j, healthy at %s, exits its health check with %i',
  (settings, address, code) => {
    const [, words = ''] = /HEALTHCHECK[^[]+CMD (\[.+\])/.exec(read('deploy/Dockerfile')) ?? []
    const [, ...args] = JSON.parse(words) as readonly string[]
    const answers = `globalThis.fetch = async (url) => ({ ok: url === 'http://${address}/v1/health' })`
    const preload = ['--import', `data:text/javascript,${encodeURIComponent(answers)}`]
    const { status } = spawnSync(process.execPath, [...preload, ...args], { env: settings })
    expect(status).toBe(code)
  },
)

test('a container may take as long to start as a pod of the chart before it counts as unhealthy', () => {
  const [, minutes] = /--start-period=(\d+)m /.exec(read('deploy/Dockerfile')) ?? []
  const template = read('deploy/helm/farebox/templates/deployment.yaml')
  const [, period, failures] =
    /startupProbe:[^}]+}\s+periodSeconds: (\d+)\s+failureThreshold: (\d+)/.exec(template) ?? []
  expect(Number(minutes) * 60).toBe(Number(period) * Number(failures))
})

test('what git ignores, such as the keys in farebox.env, does not reach the build of the image', () => {
  const lines = (path: string) =>
    read(path)
      .split('\n')
      .filter((line) => /^[^#]/.test(line))
  const ignored = [
    // A name without a folder: for git in every folder, for Docker only in the root.
    ...lines('.gitignore').map((name) => `**/${name}`),
    ...lines('deploy/.gitignore').map((folder) => `deploy/${folder}`),
  ]
  // The guide to keys has a command that writes one into the checkout.
  expect(read('docs/operations/keys-and-gas.md')).toContain('wallet --new treasury.key')
  expect(ignored).toEqual(expect.arrayContaining(['**/farebox.env', '**/*.key']))
  const kept = lines('.dockerignore')
  expect(
    ignored.map((name) => name.replace(/\/$/, '')).filter((name) => !kept.includes(name)),
  ).toEqual([])
  const mounted = services['gateway-a']?.volumes?.flatMap(
    (line) => /:-\.\/(\w+)\}/.exec(line)?.[1] ?? [],
  )
  expect(mounted).toEqual(['files', 'tokenizer'])
  for (const folder of mounted ?? []) expect(ignored).toContain(`deploy/${folder}/`)
})

test('the chart takes every setting but those that are secret or that it sets itself', () => {
  const schema = JSON.parse(read('deploy/helm/farebox/values.schema.json')) as {
    properties: { settings: { propertyNames: { pattern: string; not: { pattern: string } } } }
  }
  const { pattern, not } = schema.properties.settings.propertyNames
  const names = Object.keys(gatewaySettings)
  expect(names.filter((name) => !new RegExp(pattern).test(name))).toEqual([])
  const refused = names.filter((name) => new RegExp(not.pattern).test(name))
  const template = read('deploy/helm/farebox/templates/deployment.yaml')
  const set = [...template.matchAll(/- (?:\{ )?name: ([A-Z_]+)/g)].map(([, name]) => name)
  const secret = names.filter((name) => /KEY$|SECRET$|TOKEN$|HEADERS$/.test(name))
  expect(refused.toSorted()).toEqual([...new Set([...secret, ...set])].toSorted())
})

test('the chart refuses true and false, as which Helm reads on and off', () => {
  const schema = JSON.parse(read('deploy/helm/farebox/values.schema.json')) as {
    properties: { settings: { additionalProperties: { type: readonly string[] } } }
  }
  expect(schema.properties.settings.additionalProperties.type).not.toContain('boolean')
  expect(gatewaySettings.CHANNELS.schema.safeParse('true').success).toBe(false)
})

const helm = process.env['HELM'] ?? findOnPath('helm')
if (helm === undefined) {
  announceSkip('Helm', 'set HELM to its path')
}

type Manifest = {
  readonly kind: string
  readonly spec: {
    readonly replicas: number
    readonly strategy: { readonly type: string }
    readonly template: { readonly spec: { readonly containers: readonly Container[] } }
  }
}
type Container = {
  readonly env: readonly { readonly name: string; readonly value?: string }[]
  readonly volumeMounts: readonly { readonly mountPath: string }[]
}

function render(values: readonly string[]): readonly Manifest[] {
  const required = ['image.repository=registry.example/farebox', 'existingSecret=keys']
  const text = ['image.tag=1']
  const args = [...required, ...values].flatMap((value) => ['--set', value])
  const texts = text.flatMap((value) => ['--set-string', value])
  const output = execFileSync(
    String(helm),
    ['template', 'pay', chartFolder, '--api-versions', 'policy/v1', ...args, ...texts],
    { encoding: 'utf8', stdio: 'pipe' },
  )
  return parseAllDocuments(output)
    .map((document) => document.toJS() as Manifest | null)
    .filter((manifest) => manifest !== null)
}

test.runIf(helm !== undefined)('Helm renders the chart for PostgreSQL, SQLite and files', () => {
  const kinds = (values: readonly string[]) => render(values).map(({ kind }) => kind)
  expect(kinds([]).toSorted()).toEqual(['Deployment', 'PodDisruptionBudget', 'Service'])
  const sqlite = render([
    'database=sqlite',
    'replicas=1',
    'settings.MARKUP_BPS=500',
    'files.limits\\.json=x',
    'metrics.serviceMonitor=true',
    'ingress.enabled=true',
    'ingress.host=pay.example',
  ])
  expect(sqlite.map(({ kind }) => kind).toSorted()).toEqual([
    'ConfigMap',
    'Deployment',
    'Ingress',
    'PersistentVolumeClaim',
    'Service',
    'Service',
    'ServiceMonitor',
  ])
  const deployment = sqlite.find(({ kind }) => kind === 'Deployment')
  expect(deployment?.spec).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } })
  const container = deployment?.spec.template.spec.containers[0]
  const names = container?.env.map(({ name }) => name) ?? []
  expect(names.filter((name) => !(name in gatewaySettings))).toEqual([])
  expect(new Set(names).size).toBe(names.length)
  expect(container?.env).toContainEqual({ name: 'MARKUP_BPS', value: '500' })
  expect(container?.volumeMounts.map(({ mountPath }) => mountPath)).toContain('/etc/farebox')
})

test.runIf(helm !== undefined)(
  'Helm refuses keys, ports of its own, and two replicas on SQLite',
  () => {
    const mistakes = [
      'settings.OPENAI_API_KEY=sk',
      'settings.PORT=8080',
      'database=sqlite',
      'terminationGracePeriodSeconds=20',
    ]
    for (const value of mistakes) expect(() => render([value]), value).toThrow(/Error/)
  },
)
