import type { SiteFacts } from '@farebox/api'

/** What the server has written into the page about itself. */
export const facts: SiteFacts = JSON.parse(
  document.getElementById('facts')?.textContent ?? '',
) as SiteFacts

/** The path of the site, with a slash at its end. */
export const basePath: string = new URL(document.baseURI).pathname

/** The address of a page: `at('models')`. */
export function at(path: string): string {
  return basePath + path
}
