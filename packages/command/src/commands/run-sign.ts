import { FareboxError, signPaymentRequired } from '@farebox/client'
import { formatDecimal, parseUsdc } from '@farebox/money'
import { privateKeyToAccount } from 'viem/accounts'
import type { CommandContext } from '../terminal/command-io.ts'
import { writeResult } from '../terminal/write-result.ts'
import { requireWallet } from '../wallet/find-wallet.ts'
import type { PurseOptions } from '../wallet/open-purse.ts'
import { parseJson } from '../wallet/parse-json.ts'

const notHeader =
  'The argument is not the value of a PAYMENT-REQUIRED header. A response with another status than 402 has none.'

/** `farebox sign <payment-required>`: the signature for a 402 that another program received. */
export async function runSign(header: string, { io, command }: CommandContext): Promise<void> {
  const decoded = parseJson(Buffer.from(header, 'base64').toString())
  if (typeof decoded !== 'object' || decoded === null) {
    throw new FareboxError('invalid_option', notHeader)
  }
  const options = command.optsWithGlobals<PurseOptions>()
  const { privateKey } = await requireWallet(options, io)
  const { signature, amount } = await signPaymentRequired(header.trim(), {
    account: privateKeyToAccount(privateKey),
    maxAmount: options.maxUsdPerCall ?? parseUsdc('0.1'),
  })
  const json = { 'PAYMENT-SIGNATURE': signature, amount: formatDecimal(amount, 6) }
  writeResult(command, io, { json, text: signature })
}
