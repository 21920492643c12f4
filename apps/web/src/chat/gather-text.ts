export type GatheredText = {
  readonly add: (text: string) => void
  /** Shows what has not been shown yet. */
  readonly flush: () => void
}

const pauseMs = 100

/**
 * Shows text as it comes, ten times a second at most: the whole answer is formatted each time, and a page
 * that did so for each word would fall behind a quick model, and not notice a click on "Stop".
 */
export function gatherText(show: (text: string) => void): GatheredText {
  let gathered = ''
  let timer: ReturnType<typeof setTimeout> | undefined
  const flush = (): void => {
    clearTimeout(timer)
    timer = undefined
    if (gathered !== '') show(gathered)
    gathered = ''
  }
  return {
    add: (text) => {
      gathered += text
      timer ??= setTimeout(flush, pauseMs)
    },
    flush,
  }
}
