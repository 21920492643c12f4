import type { Usdc } from '@farebox/money'
import { Argument, Command, Option } from 'commander'
import manifest from '../package.json' with { type: 'json' }
import { withChatOptions } from './commands/chat-input.ts'
import type { ChannelAction } from './commands/run-channel.ts'
import { originOption } from './local/origin-option.ts'
import type { CommandIo } from './terminal/command-io.ts'
import { integerOption } from './terminal/integer-option.ts'
import { portOption } from './terminal/port-option.ts'
import { usdcOption } from './terminal/usdc-option.ts'

/** The `farebox` command. What a subcommand needs is loaded when it runs. */
export function fareboxCommand(io: CommandIo): Command {
  const root = new Command('farebox')
    .description('Buys AI calls one by one from a Farebox gateway, and pays for them in USDC.')
    .version(manifest.version)
    .option('--url <url>', 'the gateway (default: FAREBOX_URL, or http://127.0.0.1:4020)')
    .option('--key-file <file>', 'file with the private key (default: FAREBOX_PRIVATE_KEY)')
    .option(
      '--max-usd-per-call <dollars>',
      'the highest price of a call (default: 0.1)',
      usdcOption,
    )
    .option('--max-usd-per-hour <dollars>', 'the highest cost in any hour', usdcOption)
    .option('--max-usd-total <dollars>', 'the highest cost of this run (default: 10)', usdcOption)
    .option('--json', 'write results as JSON')
    .addHelpText('after', exitStatuses)
    .showSuggestionAfterError()
    .showHelpAfterError('`farebox --help` lists the commands and options.')
    .configureOutput({
      writeOut: io.write,
      writeErr: io.progress,
      outputError: (text, write) => {
        write(text.replace(/^error: /, 'farebox: '))
      },
    })
  for (const add of [addCalls, addLists, addServers, addTools]) add(root, io)
  for (const command of [root, ...root.commands]) {
    command.copyInheritedSettings(root).exitOverride()
  }
  return root
}

const exitStatuses = `
Exit status: 0 done, 1 failed, 2 wrong usage, 3 nothing found, 4 not paid (a cap, or the wallet),
130 stopped by Ctrl-C before it was done. proxy and mcp run until Ctrl-C, and end with 0.
Without a key, the first payer of the devnet pays if its gateway runs on this machine.`

const channelActions = `
  show             what is left, spent and deposited (the default)
  top-up 0.50      deposits more, or opens a channel
  close            returns the rest to the wallet; you pay no gas`

function addCalls(root: Command, io: CommandIo): void {
  withChatOptions(root.command('chat'))
    .description('ask a model; without a text, start a conversation')
    .argument('[text]', 'the message to send')
    .action(async (text: string | undefined, _, command: Command) => {
      const { runChat } = await import('./commands/run-chat.ts')
      await runChat(text, { io, command })
    })
  root
    .command('image')
    .description('generate images and save them')
    .argument('<prompt>', 'description of the image')
    .option('-m, --model <id>', 'the model (default: chosen by the gateway)')
    .option('--width <pixels>', '128 to 2048, divisible by 64', integerOption)
    .option('--height <pixels>', '128 to 2048, divisible by 64', integerOption)
    .option('-n, --count <images>', '1 to 4', integerOption)
    .option('--steps <count>', 'number of steps, for models that support it', integerOption)
    .option('-o, --out <file>', 'the file or folder to save to; further images get a number')
    .action(async (prompt: string, _, command: Command) => {
      const { runImage } = await import('./commands/run-image.ts')
      await runImage(prompt, { io, command })
    })
}

function addLists(root: Command, io: CommandIo): void {
  withChatOptions(root.command('estimate'))
    .description('the maximum cost of a chat call (free)')
    .argument('[text]', 'the message')
    .action(async (text: string | undefined, _, command: Command) => {
      const { runEstimate } = await import('./commands/run-estimate.ts')
      await runEstimate(text, { io, command })
    })
  root
    .command('models')
    .description('the models and their prices (free)')
    .argument('[words...]', 'parts of the id or name')
    .option('--images', 'list image models instead of chat models')
    .addOption(
      new Option('--sort <column>', 'the order')
        .choices(['id', 'input', 'output', 'context'])
        .default('id'),
    )
    .action(async (words: readonly string[], _, command: Command) => {
      const { runModels } = await import('./commands/run-models.ts')
      await runModels(words, { io, command })
    })
  root
    .command('payments')
    .description('the latest payments, or one: its cost and its refund (free)')
    .argument('[id]', 'the id of a payment; chat and image print it')
    .option('--limit <count>', 'how many to list', integerOption, 20)
    .action(async (id: string | undefined, _, command: Command) => {
      const { runPayments } = await import('./commands/run-payments.ts')
      await runPayments(id, { io, command })
    })
}

function addServers(root: Command, io: CommandIo): void {
  withLocalOptions(root.command('proxy'), 8402)
    .description(
      'an OpenAI and Anthropic endpoint on this machine that pays for the calls of any app',
    )
    .action(async (_, command: Command) => {
      const { runProxy } = await import('./commands/run-proxy.ts')
      await runProxy({ io, command })
    })
  withLocalOptions(root.command('mcp'), 8403)
    .description('tools for an agent: chat, image, estimate, models, payments (MCP)')
    .option('--http', 'serve streamable HTTP instead of standard input and output')
    .action(async (_, command: Command) => {
      const { runMcp } = await import('./commands/run-mcp.ts')
      await runMcp({ io, command })
    })
}

function withLocalOptions(command: Command, port: number): Command {
  return command
    .option('--port <port>', '0 picks a free one', portOption, port)
    .option('--no-key', 'let every program on this machine spend, without a key')
    .option('--no-channel', 'pay for each call separately, without a payment channel')
    .option(
      '--channel-deposit <dollars>',
      'the first deposit into the channel (default: what the gateway asks for)',
      usdcOption,
    )
    .option(
      '--allow-origin <origins...>',
      'web pages that may call, such as http://localhost:3000',
      originOption,
    )
}

function addTools(root: Command, io: CommandIo): void {
  root
    .command('wallet')
    .description('the paying address and its balance')
    .option('--new <file>', 'create a key and save it to this file, which must not exist')
    .option('--rpc-url <url>', 'a node of the chain, to read the balance from')
    .action(async (_, command: Command) => {
      const { runWallet } = await import('./commands/run-wallet.ts')
      await runWallet({ io, command })
    })
  root
    .command('channel')
    .description('the payment channels that proxy and mcp pay from: show, top up or close them')
    .addArgument(
      new Argument('[action]', 'what to do').choices(['show', 'top-up', 'close']).default('show'),
    )
    .argument('[dollars]', 'how much to deposit, with top-up', usdcOption)
    .addHelpText('after', channelActions)
    .action(async (...given: [ChannelAction, Usdc | undefined, unknown, Command]) => {
      const [action, dollars, , command] = given
      const { runChannel } = await import('./commands/run-channel.ts')
      await runChannel({ action, dollars }, { io, command })
    })
  root
    .command('sign')
    .description('sign the payment for a 402 that curl received (nothing is paid until it is sent)')
    .argument('<payment-required>', 'the value of the PAYMENT-REQUIRED header')
    .action(async (header: string, _, command: Command) => {
      const { runSign } = await import('./commands/run-sign.ts')
      await runSign(header, { io, command })
    })
  root
    .command('completion')
    .description('a completion script: source <(farebox completion bash)')
    .argument('<shell>', 'bash, zsh or fish')
    .action(async (shell: string) => {
      const { completionScript } = await import('./commands/completion-script.ts')
      io.write(`${completionScript(shell, root)}\n`)
    })
}
