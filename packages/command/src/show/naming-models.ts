import { type FareboxClient, FareboxError } from '@farebox/client'

/** What lists models, as an error names it. */
const listers = {
  chatCommand: { kind: 'chat', name: '`farebox models`' },
  imageCommand: { kind: 'image', name: '`farebox models --images`' },
  chatTool: { kind: 'chat', name: 'The tool models' },
  imageTool: { kind: 'image', name: 'The tool models, with kind "image",' },
} as const

type Named = {
  readonly client: FareboxClient
  /** The model that was asked for. */
  readonly model: string | null | undefined
  /** The command or the tool that lists the models of this kind. */
  readonly lister: keyof typeof listers
  readonly signal: AbortSignal
}

/** Makes a call. If its model is not sold, the error names those that are spelled most like it. */
export async function namingModels<Called>(
  named: Named,
  call: () => Promise<Called>,
): Promise<Called> {
  try {
    return await call()
  } catch (error) {
    if (!(error instanceof FareboxError) || !listPath.test(error.message)) throw error
    const { kind, name } = listers[named.lister]
    const near = await nearestTo(named, kind)
    const question = near.length === 0 ? '' : `Did you mean ${near.join(' or ')}? `
    const message = error.message.replace(listPath, `${question}${name} lists the models.`)
    throw new FareboxError(error.code, message, { cause: error })
  }
}

/** How the gateway names its list to programs. */
const listPath = /GET \/v1\/(?:images\/)?models lists the models that are\.$/

async function nearestTo(
  { client, model, signal }: Named,
  kind: 'chat' | 'image',
): Promise<readonly string[]> {
  if (!model) return []
  const list = kind === 'chat' ? client.models({ signal }) : client.images.models({ signal })
  const { models } = await list.catch(() => ({ models: [] }))
  const near = models
    .map(({ id }) => ({ id, likeness: Math.max(likeness(model, id), likeness(model, bare(id))) }))
    .filter(({ likeness }) => likeness > 0.6)
    .toSorted((a, b) => b.likeness - a.likeness)
  return near.slice(0, 3).map(({ id }) => id)
}

/** An id without its maker. */
function bare(id: string): string {
  return id.slice(id.indexOf('/') + 1)
}

/** The part of their pairs of neighboring letters that two names share, from 0 to 1. */
function likeness(one: string, other: string): number {
  const [ones, others] = [pairsOf(one), pairsOf(other)]
  const shared = [...ones].filter((pair) => others.has(pair)).length
  return (2 * shared) / (ones.size + others.size || 1)
}

function pairsOf(name: string): ReadonlySet<string> {
  const letters = name.toLowerCase().split('')
  return new Set(letters.slice(1).map((letter, index) => `${letters[index]}${letter}`))
}
