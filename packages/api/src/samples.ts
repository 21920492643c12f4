export { type CodeSample, openAiSample } from './open-api/code-samples.ts'
