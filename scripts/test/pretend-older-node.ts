/** A module that makes a process look like Node 18 to its program, and to no process that it starts. */
export const pretendOlderNode = `data:text/javascript,Object.defineProperty(process.versions,'node',{value:'18.20.8'})`
