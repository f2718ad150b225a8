import { isUndoable, type ImportReport } from './import-report';

const REPORT: ImportReport = {
  id: 'id',
  state: 'completed',
  rowsRead: 3,
  created: 3,
  updated: 0,
  unchanged: 0,
  rejected: 0,
  committedRows: 3,
  firstRevision: 1,
  lastRevision: 1,
  nextLine: null,
  rowsPerSecond: 3,
  secondsLeft: null,
  createdColumns: [],
  errors: [],
};

describe('isUndoable', () => {
  it.each([
    [0, false, true],
    [0, true, true],
    [1, true, true],
    [1, false, false],
  ])('of an import that changed %i rows, with history %s, is %s', (updated, hasHistory, is) => {
    expect(isUndoable({ ...REPORT, updated }, hasHistory)).toBe(is);
  });
});
