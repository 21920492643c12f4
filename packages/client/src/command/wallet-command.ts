import { writeFile } from 'node:fs/promises'
import { atomicUsdc, formatUsdc } from '@farebox/money'
import { getDefaultAsset } from '@x402/evm'
import { Command } from 'commander'
import { createPublicClient, erc20Abi, getAddress, http } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { FareboxError } from '../farebox-error.ts'
import { type CommandIo, type GlobalOptions, writeResult } from './command-context.ts'
import { readKey } from './read-key.ts'

type WalletOptions = { readonly new?: string; readonly rpcUrl?: string }

/** `farebox wallet`: the paying address, and with an RPC URL its balance; never the key. */
export function walletCommand(io: CommandIo): Command {
  return new Command('wallet')
    .description('show the paying address')
    .option('--new <file>', 'create a key and save it to this file, which must not exist')
    .option('--rpc-url <url>', 'a node of the chain; also shows the USDC balance')
    .action(async (options: WalletOptions, command: Command) => {
      const address = await walletAddress(options, command, io)
      const balance =
        options.rpcUrl === undefined ? undefined : await readBalance(address, options.rpcUrl)
      const text =
        balance === undefined ? address : `${address}\n${balance.usdc} USDC on ${balance.network}`
      writeResult(command, io, { json: { address, ...balance }, text })
    })
}

async function walletAddress(
  options: WalletOptions,
  command: Command,
  io: CommandIo,
): Promise<`0x${string}`> {
  if (options.new !== undefined) return await createWallet(options.new)
  const key = await readKey({
    keyFile: command.optsWithGlobals<GlobalOptions>().keyFile,
    environmentKey: io.environment['FAREBOX_PRIVATE_KEY'],
  })
  if (key === undefined) {
    throw new FareboxError(
      'invalid_option',
      'No private key: set FAREBOX_PRIVATE_KEY or pass --key-file.',
    )
  }
  return privateKeyToAddress(key)
}

async function createWallet(path: string): Promise<`0x${string}`> {
  const key = generatePrivateKey()
  await writeFile(path, `${key}\n`, { mode: 0o600, flag: 'wx' })
  return privateKeyToAddress(key)
}

async function readBalance(
  address: `0x${string}`,
  rpcUrl: string,
): Promise<{ readonly network: string; readonly usdc: string }> {
  const chain = createPublicClient({ transport: http(rpcUrl) })
  const network = `eip155:${await chain.getChainId()}` as const
  const balance = await chain.readContract({
    address: getAddress(getDefaultAsset(network).asset),
    abi: erc20Abi,
    functionName: 'balanceOf',
    args: [address],
  })
  return { network, usdc: formatUsdc(atomicUsdc(balance)) }
}
