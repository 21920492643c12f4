import { Command } from 'commander'
import { chatCommand, estimateCommand } from './chat-command.ts'
import type { CommandIo } from './command-context.ts'
import { imageCommand } from './image-command.ts'
import { modelsCommand, paymentCommand } from './list-commands.ts'
import { signCommand } from './sign-command.ts'
import { walletCommand } from './wallet-command.ts'

/** The `farebox` command. */
export function fareboxCommand(io: CommandIo): Command {
  const command = new Command('farebox')
    .description('Buys AI calls one by one from a Farebox gateway, and pays for them in USDC.')
    .option('--url <url>', 'URL of the gateway (default: FAREBOX_URL, or http://127.0.0.1:4020)')
    .option(
      '--key-file <file>',
      'file with the private key, or a devnet.json (default: FAREBOX_PRIVATE_KEY)',
    )
    .option('--max-usd <dollars>', 'maximum price of the call (default: 0.1)')
    .option('--json', 'write results as JSON')
  for (const each of [
    chatCommand(io),
    imageCommand(io),
    estimateCommand(io),
    modelsCommand(io),
    paymentCommand(io),
    signCommand(io),
    walletCommand(io),
  ]) {
    command.addCommand(each)
  }
  return command
}
