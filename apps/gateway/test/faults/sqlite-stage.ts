import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { startDevnet, writeDevnetFile } from '@farebox/devnet'
import { startSandbox } from '@farebox/devnet/sandbox'
import { createResourceStack } from '@farebox/http'
import Database from 'better-sqlite3'
import { startFaultProxy } from './fault-proxy.ts'
import { type RunningStage, runStage } from './running-stage.ts'

/** `full`: no file may grow, as on a full disk. `locked`: another process holds the database. */
export type FileFault = 'full' | 'locked'

/** A gateway on SQLite, whose files can break, and whose provider can hang. */
export type SqliteStage = Omit<RunningStage, 'stop'> & {
  setFault(fault?: FileFault): Promise<void>
  setProviderFault(fault?: 'hanging'): Promise<void>
  stop(): Promise<void>
}

/** Whether the size of another process's files can be limited here. */
export function canLimitFiles(): boolean {
  return spawnSync('prlimit', ['--version']).status === 0
}

export async function startSqliteStage(folder: string): Promise<SqliteStage> {
  const stack = createResourceStack()
  const devnet = stack.adopt(await startDevnet({ payers: 6 }), (chain) => chain.stop())
  const sandbox = stack.adopt(await startSandbox(), (provider) => provider.stop())
  const target = new URL(sandbox.chatBaseUrl)
  const port = Number(target.port)
  const proxy = stack.adopt(await startFaultProxy(port, port), (running) => running.stop())
  target.port = String(proxy.port)
  await writeDevnetFile(join(folder, 'devnet.json'), devnet)
  const file = join(folder, 'ledger.db')
  const running = await runStage(devnet, {
    DATA_DIR: folder,
    RPC_URL: devnet.rpcUrl,
    DATABASE_URL: `sqlite:${file}`,
    OPENAI_API_KEY: 'of-no-use',
    OPENAI_BASE_URL: target.href,
  })
  stack.adopt(running, (gateway) => gateway.stop())
  const other = stack.adopt(new Database(file), (database) =>
    Promise.resolve(void database.close()),
  )

  function limitFiles(bytes: string): void {
    spawnSync('prlimit', ['--pid', String(running.pid), `--fsize=${bytes}:unlimited`])
  }

  return {
    ...running,
    setFault: async (fault) => {
      limitFiles(fault === 'full' ? '1000' : 'unlimited')
      if (fault === 'locked') other.exec('begin immediate')
      else if (other.inTransaction) other.exec('rollback')
    },
    setProviderFault: proxy.setFault,
    stop: stack.disposeAsync,
  }
}
