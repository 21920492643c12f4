import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { appProgram } from '../../../../scripts/testing/app-program.ts'
import { runGateway } from '../contract/run-gateway.ts'

test('wrong arguments and an unknown command print the commands', async () => {
  const wrong = await runGateway(['ledger', 'backup'], {}).ended
  expect(wrong).toMatchObject({ code: 2, stdout: '' })
  expect(wrong.stderr).toMatch(/^Wrong arguments: ledger backup\n(.*\n)* {2}ledger backup FILE /)
  const unknown = await runGateway(['lager', 'backup'], {}).ended
  expect(unknown.stderr).toMatch(/^Unknown command: lager backup\n\nCommands:\n/)
})

test.skipIf(!existsSync('/dev/full'))('a full disk is named, and the exit code is 1', () => {
  const command = ['-c', '"$0" "$@" >/dev/full', process.execPath, ...appProgram('gateway')]
  const { status, stderr } = spawnSync('sh', [...command, '--help'], { encoding: 'utf8' })
  expect(stderr).toMatch(/^Standard output cannot be written: ENOSPC: .+\n$/)
  expect(status).toBe(1)
})
