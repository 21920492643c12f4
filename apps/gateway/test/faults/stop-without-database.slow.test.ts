import { expect, test } from 'vitest'
import { hasPostgres, startPostgres } from '../../../../scripts/testing/postgres.ts'
import { runGateway, withFolder } from '../contract/run-gateway.ts'
import { startFaultProxy } from './fault-proxy.ts'

// Starts a server and a process. A stop with its database: process.test.ts.
test.skipIf(!hasPostgres())('without its database, SIGTERM still exits with 0', async () => {
  await withFolder(async (folder) => {
    const server = await startPostgres()
    const url = new URL(server.url)
    const proxy = await startFaultProxy(Number(url.port), 1)
    url.port = String(proxy.port)
    const running = runGateway([], { PORT: '0', DATA_DIR: folder, DATABASE_URL: url.href })
    await running.url
    await proxy.setFault('down')
    running.child.kill('SIGTERM')
    const { code, stdout } = await running.ended
    await proxy.stop()
    await server.stop()
    expect(stdout).toContain('"event":"fault","during":"stop"')
    expect(stdout).toMatch(/"event":"stopped"}\n$/)
    expect(code).toBe(0)
  })
})
