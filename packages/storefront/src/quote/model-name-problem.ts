/** Why a name cannot be used: it means several of the models sold here, or none. */
export function modelNameProblem(
  name: string,
  found: readonly { readonly id: string }[],
  listPath: '/v1/models' | '/v1/images/models',
): string {
  if (found.length === 0)
    return `${name} is not sold here. GET ${listPath} lists the models that are.`
  return `${name} may be any of ${found.map(({ id }) => id).join(', ')}. Use one of these ids.`
}
