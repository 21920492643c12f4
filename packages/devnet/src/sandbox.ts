export type { FaultRule } from './sandbox/fault-rules.ts'
export type { Pace } from './sandbox/pace.ts'
export type { SandboxRequest } from './sandbox/request-log.ts'
export { type Sandbox, type SandboxOptions, startSandbox } from './sandbox/start-sandbox.ts'
