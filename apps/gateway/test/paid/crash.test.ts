import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { proofSize } from '../../../../scripts/testing/proof-size.ts'
import { expectClean } from '../chaos/expect-clean.ts'
import { runChaos } from '../chaos/run-chaos.ts'

/** The processes run the build, as in production. */
const built = existsSync(fileURLToPath(new URL('../../dist/main.js', import.meta.url)))

const kills = proofSize({ quick: 2, all: 6 })

test('the gateway is built', () => {
  expect(built).toBe(true)
})

test('kill -9 at any moment over SQLite: paid = cost + refund, and nothing is served twice', async () => {
  expectClean(await runChaos({ replicas: 1, kills, buyers: 6, random: Math.random }))
})
