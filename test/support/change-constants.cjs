// Changes constants of the service before it starts. `built-program.ts` preloads it.
const { CHANGED_CONSTANTS } = process.env;

// Programs that the service starts preload it, too, and need no constants.
if (CHANGED_CONSTANTS !== undefined) {
  delete process.env.CHANGED_CONSTANTS;
  const { file, values } = JSON.parse(CHANGED_CONSTANTS);
  Object.assign(require(file).CONSTANTS, values);
}
