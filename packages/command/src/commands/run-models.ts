import type { ChatModelList, ImageModelList } from '@farebox/api'
import { FareboxError } from '@farebox/client'
import { type CommandContext, colored } from '../terminal/command-io.ts'
import { tableText } from '../terminal/table.ts'
import { wantsJson, writeResult } from '../terminal/write-result.ts'
import { openPurse } from '../wallet/open-purse.ts'

type ModelsOptions = {
  readonly images?: true
  readonly sort: 'id' | 'input' | 'output' | 'context'
}
type ChatModel = ChatModelList['models'][number]
type ImageModel = ImageModelList['models'][number]

/** `farebox models [words]`: the models whose id or name contains every word, with their prices. */
export async function runModels(
  words: readonly string[],
  { io, command }: CommandContext,
): Promise<void> {
  const { client } = await openPurse(command, io)
  const { images, sort } = command.opts<ModelsOptions>()
  const matches = ({ id, name }: { id: string; name: string }): boolean =>
    words.every((word) => `${id} ${name}`.toLowerCase().includes(word.toLowerCase()))
  if (images === true) {
    const { models, total, note } = await client.images.models({ signal: io.signal })
    const found = models.filter(matches).toSorted(byText(({ id }) => id))
    checkFound(found.length, words)
    writeResult(command, io, { json: found, text: imageTable(found) })
    return noteCount({ found: found.length, total, unit: 'USD per image', note }, { io, command })
  }
  const { models, total } = await client.models({ signal: io.signal })
  const found = models.filter(matches).toSorted(orders[sort])
  checkFound(found.length, words)
  writeResult(command, io, { json: found, text: chatTable(found) })
  noteCount({ found: found.length, total, unit: 'USD per million tokens' }, { io, command })
}

const byText =
  <Value>(read: (value: Value) => string) =>
  (a: Value, b: Value): number =>
    read(a).localeCompare(read(b), 'en')

const orders: Readonly<Record<ModelsOptions['sort'], (a: ChatModel, b: ChatModel) => number>> = {
  id: byText(({ id }) => id),
  input: (a, b) => a.pricing.input_per_1k_tokens - b.pricing.input_per_1k_tokens,
  output: (a, b) => a.pricing.output_per_1k_tokens - b.pricing.output_per_1k_tokens,
  context: (a, b) => b.context_length - a.context_length,
}

function checkFound(count: number, words: readonly string[]): void {
  if (count > 0) return
  const message =
    words.length === 0
      ? 'The gateway sells no models.'
      : `No model matches "${words.join(' ')}". Chat models and image models (--images) are separate lists.`
  throw new FareboxError('nothing_found', message)
}

function chatTable(models: readonly ChatModel[]): string {
  const rows = models.map(({ id, context_length: context, pricing }) => [
    id,
    String(context),
    perMillion(pricing.input_per_1k_tokens),
    perMillion(pricing.output_per_1k_tokens),
  ])
  return tableText([['model', 'context', 'input', 'output'], ...rows], [1, 2, 3])
}

function imageTable(models: readonly ImageModel[]): string {
  const rows = models.map(({ id, category, pricing }) => [
    id,
    category,
    Object.entries(pricing)
      .map((entry) => entry.join(' '))
      .join(', '),
  ])
  return tableText([['model', 'category', 'price'], ...rows], [])
}

function perMillion(perThousand: number): string {
  return `$${Number((perThousand * 1_000).toPrecision(9))}`
}

function noteCount(
  {
    found,
    total,
    unit,
    note,
  }: { found: number; total: number; unit: string; note?: string | undefined },
  { io, command }: CommandContext,
): void {
  if (wantsJson(command)) return
  io.note(colored(io, 'dim', `${found} of ${total} models, prices in ${unit}`))
  if (note !== undefined) io.note(colored(io, 'dim', note))
}
