import type { ChatModel, Modality } from './chat-model.ts'

const words: Readonly<Record<Modality, string>> = {
  text: 'text',
  image: 'images',
  audio: 'audio',
  video: 'video',
  pdf: 'PDF',
}

/** What goes in, how much fits, whether it reasons: the part of a description that follows changes. */
export function modelTraits(
  model: Pick<ChatModel, 'contextLength' | 'maxOutputTokens' | 'inputModalities' | 'reasoning'>,
): string {
  const limits = `context of ${size(model.contextLength)} tokens, answers up to ${size(model.maxOutputTokens)}`
  return `reads ${list(model.inputModalities)}; ${limits}${reasoningTrait(model)}`
}

function reasoningTrait({ reasoning }: Pick<ChatModel, 'reasoning'>): string {
  switch (reasoning) {
    case 'none':
      return ''
    case 'optional':
      return '; can reason before it answers'
    case 'always':
      return '; reasons before it answers'
  }
}

function list(modalities: readonly Modality[]): string {
  const names = modalities.map((modality) => words[modality])
  const last = names.at(-1) ?? 'text'
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`
}

/** 131072 as 131K, 1048576 as 1.05M: rounded down, so that nothing is promised. */
function size(tokens: number): string {
  if (tokens >= 1_000_000) return `${Math.floor(tokens / 10_000) / 100}M`
  return tokens >= 1_000 ? `${Math.floor(tokens / 1_000)}K` : String(tokens)
}
