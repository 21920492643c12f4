import { type Sandbox, startSandbox } from '@farebox/devnet/sandbox'
import type { Config } from '../settings.ts'
import { isSandboxOn } from './is-sandbox-on.ts'

/** Starts the offline provider if it is on. */
export async function openSandbox(config: Config): Promise<Sandbox | undefined> {
  return isSandboxOn(config) ? startSandbox() : undefined
}
