// A p99 of some hundred requests moves with whatever else the machine does: an attack hurts if it
// hurts each time.
jest.retryTimes(2, { logErrorsBeforeRetry: true });
