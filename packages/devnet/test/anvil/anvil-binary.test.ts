import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { anvilBinary, anvilPackage } from '../../src/anvil/anvil-binary.ts'

test.each([
  ['linux', 'x64', '@foundry-rs/anvil-linux-amd64/bin/anvil'],
  ['linux', 'arm64', '@foundry-rs/anvil-linux-arm64/bin/anvil'],
  ['darwin', 'x64', '@foundry-rs/anvil-darwin-amd64/bin/anvil'],
  ['darwin', 'arm64', '@foundry-rs/anvil-darwin-arm64/bin/anvil'],
  ['win32', 'x64', '@foundry-rs/anvil-win32-amd64/bin/anvil.exe'],
])('%s on %s has its own package', (platform, arch, path) => {
  expect(anvilPackage({ platform, arch })).toBe(path)
})

test('the error names a host without a build', () => {
  expect(() => anvilPackage({ platform: 'freebsd', arch: 'x64' })).toThrow(
    expect.objectContaining({
      code: 'unsupported_platform',
      message: 'anvil has no build for freebsd on x64',
    }),
  )
})

test('the error names a build that is not installed', () => {
  const other = process.platform === 'darwin' ? 'linux' : 'darwin'
  expect(() => anvilBinary({ platform: other, arch: 'arm64' })).toThrow(/is not installed/)
})

test("this host's program is the pinned anvil", () => {
  expect(execFileSync(anvilBinary(), ['--version'], { encoding: 'utf8' })).toMatch(/1\.7\.1/)
})
