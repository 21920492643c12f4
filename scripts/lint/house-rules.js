// Rules of this repository that no linter has, as a plugin of oxlint. It loads JavaScript alone.

const noBooleanParameter = {
  create(context) {
    return {
      FunctionDeclaration({ params }) {
        for (const parameter of params.filter(isBoolean)) {
          context.report({
            node: parameter,
            message: 'Two functions with names beat one with a flag.',
          })
        }
      },
    }
  },
}

function isBoolean(parameter) {
  return parameter.type === 'AssignmentPattern'
    ? typeof parameter.right.value === 'boolean'
    : parameter.typeAnnotation?.typeAnnotation.type === 'TSBooleanKeyword'
}

const noWallClock = {
  create(context) {
    return {
      NewExpression(node) {
        if (node.callee.name === 'Date' && node.arguments.length === 0) {
          context.report({ node, message: 'Pass the time in.' })
        }
      },
    }
  },
}

export default {
  meta: { name: 'house' },
  rules: { 'no-boolean-parameter': noBooleanParameter, 'no-wall-clock': noWallClock },
}
