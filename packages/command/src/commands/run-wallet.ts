import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { FareboxError, paymentNetworks } from '@farebox/client'
import { atomicUsdc, formatDecimal } from '@farebox/money'
import { createPublicClient, erc20Abi, http } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import type { CommandContext } from '../terminal/command-io.ts'
import { writeResult } from '../terminal/write-result.ts'
import { chainTitle } from '../wallet/chain-title.ts'
import { requireWallet, type WalletOptions } from '../wallet/find-wallet.ts'

type Options = WalletOptions & { readonly new?: string; readonly rpcUrl?: string }

/** `farebox wallet`: the paying address and its balance; never the key. */
export async function runWallet({ io, command }: CommandContext): Promise<void> {
  const options = command.optsWithGlobals<Options>()
  if (options.new !== undefined) {
    const address = await createWallet(options.new)
    return writeResult(command, io, { json: { address }, text: address })
  }
  const { privateKey, devnetRpcUrl } = await requireWallet(options, io)
  const address = privateKeyToAddress(privateKey)
  const rpcUrl = options.rpcUrl ?? devnetRpcUrl
  if (rpcUrl === undefined) {
    io.note('The balance is read from a node of the chain: pass --rpc-url.')
    return writeResult(command, io, { json: { address }, text: address })
  }
  const balance = await readBalance(address, rpcUrl)
  const chain = chainTitle(balance.network, rpcUrl === devnetRpcUrl ? devnetRpcUrl : undefined)
  const text = `${address}\n${balance.usdc} USDC on ${chain}`
  writeResult(command, io, { json: { address, ...balance }, text })
}

async function createWallet(path: string): Promise<`0x${string}`> {
  const key = generatePrivateKey()
  try {
    await writeFile(path, `${key}\n`, { mode: 0o600, flag: 'wx' })
  } catch (cause) {
    const problem = existsSync(path) ? 'exists already' : 'cannot be written'
    throw new FareboxError('invalid_option', `${path} ${problem}. Choose another file.`, { cause })
  }
  return privateKeyToAddress(key)
}

async function readBalance(
  address: `0x${string}`,
  rpcUrl: string,
): Promise<{ readonly network: string; readonly usdc: string }> {
  if (!URL.canParse(rpcUrl)) {
    throw new FareboxError('invalid_option', `--rpc-url is not a valid URL: ${rpcUrl}`)
  }
  const chain = createPublicClient({ transport: http(rpcUrl) })
  const failed = (cause: unknown): FareboxError => nodeFailed(rpcUrl, cause)
  const chainId = await chain.getChainId().catch((cause: unknown) => {
    throw failed(cause)
  })
  const network = Object.values(paymentNetworks).find((known) => known.chainId === chainId)
  if (network === undefined) {
    throw new FareboxError(
      'invalid_option',
      `--rpc-url is a node of chain ${chainId}; use one of Base (8453) or Base Sepolia (84532).`,
    )
  }
  const call = { address: network.usdc, abi: erc20Abi, functionName: 'balanceOf' } as const
  const balance = await chain.readContract({ ...call, args: [address] }).catch((cause: unknown) => {
    throw failed(cause)
  })
  return { network: network.id, usdc: formatDecimal(atomicUsdc(balance), 6) }
}

/** Without the path of the URL, which may be a key, and the node's message, which may repeat it. */
function nodeFailed(rpcUrl: string, cause: unknown): FareboxError {
  const message = `The node at ${new URL(rpcUrl).origin} did not return the balance. Check --rpc-url.`
  return new FareboxError('node_failed', message, { cause })
}
