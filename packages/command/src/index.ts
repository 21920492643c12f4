export { fareboxCommand } from './farebox-command.ts'
export type { CommandIo } from './terminal/command-io.ts'
