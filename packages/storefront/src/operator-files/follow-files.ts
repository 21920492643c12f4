import { stat } from 'node:fs/promises'

export type FileFollowing = {
  /** Without any, nothing is ever loaded. */
  readonly paths: readonly string[]
  /** Takes over what the files hold, or keeps what there is and gives all their problems. */
  readonly load: () => readonly string[]
  /** Called after each load, with its problems. */
  readonly onLoad: (problems: readonly string[]) => void
  /** Milliseconds between two looks at the files. */
  readonly everyMs: number
}

export type FollowedFiles = {
  /** Loads the files now. */
  reload(): void
  /** What was wrong with the files when they were last loaded. */
  problems(): readonly string[]
  stop(): void
}

/**
 * Loads files again when they change. They are polled, since change notices are lost on network file
 * systems and in mounted volumes. A change counts once it has lasted from one look to the next, so
 * that a file is not read while it is written.
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

/** What differs after any change: a file that is replaced has another inode. */
async function stampOf(paths: readonly string[]): Promise<string> {
  const files = await Promise.allSettled(paths.map((path) => stat(path)))
  return files
    .map((file) => {
      if (file.status === 'rejected') return 'unreadable'
      const { ino, size, mtimeMs } = file.value
      return `${ino} ${size} ${mtimeMs}`
    })
    .join(', ')
}
