import { stopSignal } from '@farebox/http'
import { startConsole } from '../console/start-console.ts'
import type { Config } from '../settings.ts'
import { startProblem } from './start-problem.ts'

/** Serves the operator's console until SIGTERM or Ctrl-C. */
export async function consoleCommand(config: Config): Promise<number> {
  const stopping = stopSignal()
  try {
    const running = await startConsole(config)
    process.stdout.write(welcome(running.loginUrl, config, running.token))
    await stopping
    await running.stop()
    return 0
  } catch (error) {
    const { CONSOLE_HOST: HOST, CONSOLE_PORT: PORT } = config
    const problem = startProblem(error, { ...config, HOST, PORT })
    if (problem === undefined) throw error
    process.stderr.write(`${problem.message.replaceAll(/\b(HOST|PORT)\b/g, 'CONSOLE_$1')}\n`)
    return problem.exitCode
  }
}

function welcome(loginUrl: string, { CONSOLE_TOKEN }: Config, token: string): string {
  const own = CONSOLE_TOKEN === undefined ? `The token of this run: ${token}\n` : ''
  return `The console is at\n  ${loginUrl}\nThe link works once, within ten minutes.\n${own}`
}
