import { formatUsdc, parseUsdc } from '@farebox/money'
import { Command } from 'commander'
import { privateKeyToAccount } from 'viem/accounts'
import { readClientOptions } from '../call/client-options.ts'
import { FareboxError } from '../farebox-error.ts'
import { choosePaymentOffer } from '../pay/payment-offer.ts'
import { createPaymentSigner } from '../pay/sign-payment.ts'
import { type CommandIo, type GlobalOptions, writeResult } from './command-context.ts'
import { readKey } from './read-key.ts'

/** `farebox sign <payment-required>`: the signature for a 402 that another program received. */
export function signCommand(io: CommandIo): Command {
  return new Command('sign')
    .description('sign the payment for a 402 that curl received (nothing is paid until it is sent)')
    .argument('<payment-required>', 'the value of the PAYMENT-REQUIRED header')
    .action(async (header: string, _options: object, command: Command) => {
      const { keyFile, maxUsd = '0.1' } = command.optsWithGlobals<GlobalOptions>()
      const privateKey = await readKey({
        keyFile,
        environmentKey: io.environment['FAREBOX_PRIVATE_KEY'],
      })
      if (privateKey === undefined) {
        throw new FareboxError(
          'invalid_option',
          'No private key: set FAREBOX_PRIVATE_KEY or pass --key-file.',
        )
      }
      const { networks, payTo } = readClientOptions({ baseUrl: 'http://127.0.0.1', privateKey })
      const challenge = new Response(null, {
        status: 402,
        headers: { 'payment-required': header.trim() },
      })
      const offer = choosePaymentOffer(challenge, { networks, payTo })
      if (offer.amount > parseUsdc(maxUsd)) {
        throw new FareboxError(
          'amount_above_call_cap',
          `The price is ${formatUsdc(offer.amount)} USDC, more than --max-usd ${maxUsd}.`,
        )
      }
      const sign = createPaymentSigner(privateKeyToAccount(privateKey), networks)
      const signature = await sign(offer.challenge)
      const json = { 'PAYMENT-SIGNATURE': signature, amount: formatUsdc(offer.amount) }
      writeResult(command, io, { json, text: signature })
    })
}
