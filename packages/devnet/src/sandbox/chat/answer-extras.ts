import { drawPicture } from '../images/draw-picture.ts'
import { encodePng } from '../images/png.ts'
import { type Instructions, numberFrom } from '../wire/instructions.ts'

/** What an answer has besides its text: citations in OpenAI's format, images in OpenRouter's. */
export type AnswerExtras = {
  readonly annotations: readonly object[]
  readonly images: readonly object[]
}

const maxItems = 8
const size = { width: 96, height: 96 }

/** As many citations and pictures as the instructions ask for. */
export async function writeAnswerExtras(
  text: string,
  instructions: Instructions,
): Promise<AnswerExtras> {
  const listOf = (key: string): readonly number[] =>
    Array.from({ length: Math.min(maxItems, numberFrom(instructions, key) ?? 0) }, (_, at) => at)
  return {
    annotations: listOf('citations').map((at) => citation(text, at)),
    images: await Promise.all(listOf('pictures').map(picture)),
  }
}

/** Each sentence in turn cites its own source. */
function citation(text: string, at: number): object {
  const sentences = [...text.matchAll(/[^.]+\.?/g)]
  const cited = sentences[at % Math.max(1, sentences.length)]
  const start = cited?.index ?? 0
  return {
    type: 'url_citation',
    url_citation: {
      url: `https://example.com/sources/${at + 1}`,
      title: `Source ${at + 1}`,
      start_index: start,
      end_index: start + (cited?.[0].length ?? 0),
    },
  }
}

async function picture(seed: number): Promise<object> {
  const png = await encodePng(drawPicture(size, '', seed))
  return {
    type: 'image_url',
    image_url: { url: `data:image/png;base64,${png.toString('base64')}` },
  }
}
