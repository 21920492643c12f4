import { stat } from 'node:fs/promises'

export type FileFollowing = {
  /** If empty, nothing is ever loaded. */
  readonly paths: readonly string[]
  /**
   * Applies the contents of the files, or keeps the current state and returns all their problems.
   */
  readonly load: () => readonly string[]
  /** Called after each load, with its problems. */
  readonly onLoad: (problems: readonly string[]) => void
  /** How often the files are checked, in milliseconds. */
  readonly everyMs: number
}

export type FollowedFiles = {
  /** Loads the files now. */
  reload(): void
  /** The problems of the files when they were last loaded. */
  problems(): readonly string[]
  stop(): void
}

/**
 * Loads files again when they change. They are polled, since change notifications are lost on
 * network file systems and in mounted volumes. A changed file is loaded once it is the same in two
 * checks, so that it is not read while it is written.
 */
export async function followFiles(following: FileFollowing): Promise<FollowedFiles> {
  const { paths, load, onLoad, everyMs } = following
  let problems: readonly string[] = []
  if (paths.length === 0) {
    return { reload: () => undefined, problems: () => problems, stop: () => undefined }
  }
  let loaded = await stampOf(paths)
  let seen = loaded
  let timer: NodeJS.Timeout | undefined
  let stopped = false

  function reload(): void {
    problems = load()
    onLoad(problems)
  }

  async function look(): Promise<void> {
    const stamp = await stampOf(paths)
    const isSettled = stamp === seen
    seen = stamp
    if (!stopped && isSettled && stamp !== loaded) {
      loaded = stamp
      reload()
    }
    lookLater()
  }

  function lookLater(): void {
    if (!stopped) timer = setTimeout(() => void look(), everyMs).unref()
  }

  lookLater()
  return {
    reload,
    problems: () => problems,
    stop: () => {
      stopped = true
      clearTimeout(timer)
    },
  }
}

/**
 * Differs after any change: a replacement has another inode, and a file that was made readable
 * another change time, though its content is as old as before.
 */
async function stampOf(paths: readonly string[]): Promise<string> {
  const files = await Promise.allSettled(paths.map((path) => stat(path)))
  return files
    .map((file) => {
      if (file.status === 'rejected') return 'unreadable'
      const { ino, size, ctimeMs } = file.value
      return `${ino} ${size} ${ctimeMs}`
    })
    .join(', ')
}
