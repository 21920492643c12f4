/**
 * How deeply objects and arrays of a body may be nested: far above any schema of a tool, and below what
 * a stack holds when such a value is read or written.
 */
export const maxLevels = 200
