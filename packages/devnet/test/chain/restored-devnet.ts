import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import type { Devnet, DevnetAccount } from '../../src/index.ts'

/** Opens a devnet for the tests of a file; each of them finds it as `open` left it. */
export function restoreForEachTest(open: () => Promise<Devnet>): void {
  let devnet: Devnet
  let start: string
  beforeAll(async () => {
    devnet = await open()
  })
  beforeEach(async () => {
    start = await devnet.snapshot()
  })
  afterEach(() => devnet.revert(start))
  afterAll(() => devnet.stop())
}

/** The first two payers of a devnet. */
export function twoPayersOf({ payers: [first, second] }: Devnet): [DevnetAccount, DevnetAccount] {
  if (first === undefined || second === undefined) throw new Error('two payers are needed')
  return [first, second]
}
