import { afterEach } from 'vitest'

/** What a test pushes here is stopped when the test is over. */
export function closingAfterEach(): { stop(): Promise<void> }[] {
  const open: { stop(): Promise<void> }[] = []
  afterEach(async () => {
    await Promise.all(open.splice(0).map((one) => one.stop()))
  })
  return open
}
