import { Command } from 'commander'
import { type CommandIo, clientFor, writeResult } from './command-context.ts'
import { paymentLines } from './payment-lines.ts'

/** `farebox models`: the models for sale, with their prices. */
export function modelsCommand(io: CommandIo): Command {
  return new Command('models')
    .description('list the models and their prices (free)')
    .argument('[search]', 'part of the id or name')
    .option('--images', 'list image models instead of chat models')
    .action(async (search: string | undefined, options: { images?: true }, command: Command) => {
      const client = await clientFor(command, io)
      const matches = (model: { id: string; name: string }): boolean =>
        `${model.id} ${model.name}`.toLowerCase().includes((search ?? '').toLowerCase())
      if (options.images === true) {
        const models = (await client.images.models({ signal: io.signal })).models.filter(matches)
        const lines = models.map(
          ({ id, category, pricing }) =>
            `${id.padEnd(40)} ${category.padEnd(12)} ${Object.entries(pricing)
              .map((entry) => entry.join(' '))
              .join(', ')}`,
        )
        return writeResult(command, io, { json: models, text: lines.join('\n') })
      }
      const models = (await client.models({ signal: io.signal })).models.filter(matches)
      const lines = models.map(
        ({ id, context_length: context, pricing }) =>
          `${id.padEnd(48)} ${String(context).padStart(9)} tokens, per 1,000: $${pricing.input_per_1k_tokens} in, $${pricing.output_per_1k_tokens} out`,
      )
      return writeResult(command, io, { json: models, text: lines.join('\n') })
    })
}

/** `farebox payment <id>`: the record of a payment. */
export function paymentCommand(io: CommandIo): Command {
  return new Command('payment')
    .description('show the cost of a payment and the state of its refund (free)')
    .argument('<id>', 'the value of X-Payment-Id; chat and image print it')
    .action(async (id: string, _options: object, command: Command) => {
      const client = await clientFor(command, io)
      const payment = await client.payment(id, { signal: io.signal })
      writeResult(command, io, { json: payment, text: paymentLines(payment) })
    })
}
