import { fileURLToPath } from 'node:url'

const folders = {
  gateway: 'apps/gateway',
  estimator: 'apps/estimator',
  farebox: 'packages/command',
} as const

/**
 * The arguments of Node that start an app or the command. `npm test` has just built it and sets `FAREBOX_TEST_BUILT`:
 * the build starts in half the time. Otherwise its sources run.
 */
export function appProgram(app: keyof typeof folders): readonly string[] {
  const folder = new URL(`../../${folders[app]}/`, import.meta.url)
  const path = (file: string): string => fileURLToPath(new URL(file, folder))
  return process.env['FAREBOX_TEST_BUILT'] === undefined
    ? ['--conditions=farebox-source', path('src/main.ts')]
    : [path('dist/main.js')]
}
