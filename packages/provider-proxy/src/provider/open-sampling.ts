import type { ChatField } from '@farebox/api'

/** Sampling of open weights, which the makers' own APIs do not know. */
export const openSampling: readonly ChatField[] = ['top_k', 'min_p', 'repetition_penalty']
