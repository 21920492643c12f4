import type { CommandIo } from './command-io.ts'

export const clearLine = '\r\u001b[K'

/** Shows the seconds that pass until the work is done, if a person is watching. */
export async function showProgress<Value>(
  { colors, progress }: Pick<CommandIo, 'colors' | 'progress'>,
  label: string,
  work: Promise<Value>,
): Promise<Value> {
  if (!colors) return await work
  let seconds = 0
  progress(`${label} …`)
  const timer = setInterval(() => {
    seconds += 1
    progress(`${clearLine}${label} … ${seconds} s`)
  }, 1_000)
  try {
    return await work
  } finally {
    clearInterval(timer)
    progress(clearLine)
  }
}
