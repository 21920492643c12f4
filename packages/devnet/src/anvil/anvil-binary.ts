import { createRequire } from 'node:module'
import { DevnetError } from '../devnet-error.ts'

export type Host = { readonly platform: string; readonly arch: string }

/** The npm package that contains anvil for a host, and the path of the program inside it. */
export function anvilPackage({ platform, arch }: Host): string {
  const cpu = arch === 'x64' ? 'amd64' : arch
  const target = `${platform}-${cpu}`
  switch (target) {
    case 'linux-amd64':
    case 'linux-arm64':
    case 'darwin-amd64':
    case 'darwin-arm64':
      return `@foundry-rs/anvil-${target}/bin/anvil`
    case 'win32-amd64':
      return `@foundry-rs/anvil-${target}/bin/anvil.exe`
    default:
      throw new DevnetError('unsupported_platform', `anvil has no build for ${platform} on ${arch}`)
  }
}

/**
 * Path of the anvil executable. It is resolved from `@foundry-rs/anvil`, which depends on the
 * platform packages, and started directly: no install script and no launcher in between.
 */
export function anvilBinary(host: Host = process): string {
  const path = anvilPackage(host)
  const require = createRequire(import.meta.url)
  try {
    return createRequire(require.resolve('@foundry-rs/anvil/package.json')).resolve(path)
  } catch (cause) {
    throw new DevnetError('unsupported_platform', `${path} is not installed`, { cause })
  }
}
