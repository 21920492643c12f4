// Installs what runs outside of Node into an empty npm project, as users would, and runs one program on each
// runtime: it asks, signs, pays and prices, and pays a gateway on a devnet; with `payments` it sells there too.
// Run `npm run build` first.
import { cpSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from './packages/run.ts'
import { bundledOutputs } from './packages/runtimes/bundled-outputs.ts'
import { type CheckedGateway, openGateway } from './packages/runtimes/open-gateway.ts'
import { nodeOf, runtimeVersions } from './packages/runtimes/runtime-versions.ts'
import { pack } from './packages/tarball.ts'
import { publishedPackages, root } from './packages/workspace.ts'

/** With what they import. `payments` needs sockets and a native module: not in workers. */
const checked = ['money', 'pricing', 'api', 'catalogs', 'tokenizer', 'client', 'ledger', 'payments']
const everywhere = 'paid 0.003526 0.003526 openai-o200k completed confirmed'
const sellers = '200 HELLO 66'

type Result = { readonly name: string; readonly output: string; readonly expected: string }

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'farebox-runtimes-')))
const results = install() ?? (await allOutputs())
rmSync(folder, { recursive: true, force: true })

const failed = results.filter(({ output, expected }) => output !== expected)
for (const { name, output, expected } of results) {
  const isRight = output === expected
  console.log(isRight ? `runs   ${name}` : `FAILS  ${name}\n${output}`)
}
console.log(`runtimes: ${results.length} runs, ${failed.length} problems`)
process.exitCode = failed.length === 0 ? 0 : 1

async function allOutputs(): Promise<readonly Result[]> {
  const gateway = await openGateway(join(folder, 'gateway'))
  try {
    const bundled = await bundledOutputs(folder, gateway)
    return [...programs(gateway), ...bundled.map(isEverywhere)]
  } finally {
    await gateway.stop()
  }
}

/** The problem if the project cannot be installed. */
function install(): readonly Result[] | undefined {
  cpSync(join(root, 'scripts/packages/runtimes/programs'), folder, { recursive: true })
  const manifest = { name: 'consumer', private: true, type: 'module' }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  const tarballs = publishedPackages()
    .filter(({ path }) => checked.includes(path.replace('packages/', '')))
    .map((source) => pack(source, folder).file)
  const quiet = ['install', '--no-audit', '--no-fund', '--loglevel=error']
  const { succeeded, output } = run('npm', [...quiet, ...tarballs, ...runtimeVersions], {
    cwd: folder,
  })
  return succeeded ? undefined : [{ name: 'npm install', output, expected: '' }]
}

function programs(gateway: CheckedGateway): readonly Result[] {
  const deno = ['run', '--allow-all', '--node-modules-dir=manual']
  const runtimes = [
    { name: 'Node 20', program: nodeOf(20), args: [], sells: false },
    { name: 'Node 22', program: nodeOf(22), args: [], sells: true },
    { name: 'Node 24', program: nodeOf(24), args: [], sells: true },
    { name: 'Bun', program: '.bin/bun', args: [], sells: true },
    { name: 'Deno', program: '.bin/deno', args: deno, sells: true },
  ]
  return runtimes.flatMap(({ name, program, args, sells }) => {
    const outputOf = (file: string): string => {
      const { url: GATEWAY_URL, rpcUrl: RPC_URL } = gateway
      const env = { GATEWAY_URL, RPC_URL, PAYER_KEY: gateway.nextPayer() }
      const words = [...args, file]
      return run(join(folder, 'node_modules', program), words, { cwd: folder, env }).output
    }
    const buys = { name: `${name}: client`, output: outputOf('main.js'), expected: everywhere }
    if (!sells) return [buys]
    return [buys, { name: `${name}: payments`, output: outputOf('payments.js'), expected: sellers }]
  })
}

function isEverywhere(output: Omit<Result, 'expected'>): Result {
  return { ...output, expected: everywhere }
}
