import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findOnPath } from '../../../../scripts/testing/find-binary.ts'

const modules = join(import.meta.dirname, '..', '..', 'node_modules')
const packages = ['@x402/express', '@portkey-ai/gateway', 'express', 'undici']

/** The versions of the peers that are installed here. */
export function peerVersions(): Readonly<Record<string, string>> {
  const nginx = findOnPath('nginx')
  return {
    ...Object.fromEntries(packages.map((name) => [name, installedVersion(name)])),
    ...(nginx !== undefined && { nginx: nginxVersion(nginx) }),
  }
}

/** nginx names its version on standard error. */
function nginxVersion(binary: string): string {
  const { stderr } = spawnSync(binary, ['-v'], { encoding: 'utf8' })
  return /nginx\/(\S+)/.exec(stderr)?.[1] ?? 'of an unknown version'
}

function installedVersion(name: string): string {
  const manifest = readFileSync(join(modules, name, 'package.json'), 'utf8')
  return String((JSON.parse(manifest) as { readonly version: unknown }).version)
}
