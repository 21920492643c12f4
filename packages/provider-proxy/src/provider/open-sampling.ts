import type { ChatField } from '@farebox/api'

/** Sampling parameters of open weights, which the makers' own APIs do not have. */
export const openSampling: readonly ChatField[] = ['top_k', 'min_p', 'repetition_penalty']
