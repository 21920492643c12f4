export { type Sandbox, type SandboxOptions, startSandbox } from './sandbox/start-sandbox.ts'
export type { FaultRule } from './sandbox/wire/fault-rules.ts'
export type { Pace } from './sandbox/wire/pace.ts'
export type { SandboxRequest } from './sandbox/wire/request-log.ts'
