import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The exact packages that the snapshot is generated from, too large to install for everyone. */
export const pinnedPackages = {
  piAi: {
    spec: '@earendil-works/pi-ai@1.5.2',
    integrity:
      'sha512-2tWPSnV3qzfiDIY3aWluBag3vC++Vs+VsXt/UquSU5onPMohPih72FUhIhaqmDdMYubOgB3Byl9uF4Vk40JLvQ==',
  },
  genaiPrices: {
    spec: '@pydantic/genai-prices@0.1.8',
    integrity:
      'sha512-h7CYw6qTyflG2zUndO8tXyL8Xopf+tX9JZu13h0ZFgeyYj+J2gm1edR4+R+mbQ2vPdkFjtTmmmu1cYQPM5/KTA==',
  },
} as const

/** Downloads a package without running any script of it, checks it, and returns its folder. */
export function unpackPinned(pinned: {
  readonly spec: string
  readonly integrity: string
}): string {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-catalog-'))
  execFileSync('npm', ['pack', pinned.spec, '--ignore-scripts', '--silent'], { cwd: folder })
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'))
  if (tarball === undefined) throw new Error(`npm pack returned no tarball for ${pinned.spec}`)
  const digest = createHash('sha512')
    .update(readFileSync(join(folder, tarball)))
    .digest('base64')
  if (`sha512-${digest}` !== pinned.integrity)
    throw new Error(`${pinned.spec} does not match its pinned integrity`)
  execFileSync('tar', ['xzf', tarball], { cwd: folder })
  return join(folder, 'package')
}
