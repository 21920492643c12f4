import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Collects what nothing refers to, and what only that referred to. */
export async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc')
  for (let round = 0; round < 3; round += 1) {
    runInNewContext('gc')()
    await setImmediate()
  }
}
