import { changeForm, changeRequest } from './change-request';

describe('changeForm', () => {
  it.each([
    [undefined, 'page'],
    ['*/*', 'page'],
    ['application/json', 'page'],
    ['text/html', 'page'],
    ['text/event-stream', 'events'],
    ['Text/Event-Stream;charset=utf-8', 'events'],
    ['application/json, text/event-stream', 'page'],
    ['application/json, text/event-stream;q=0.5', 'page'],
    ['text/event-stream;q=0.5, application/json', 'page'],
    ['application/json;q=0.5, text/event-stream', 'events'],
    ['text/event-stream, */*', 'events'],
    ['text/html, application/x-ndjson;q=0.2, text/event-stream;q=0.3', 'events'],
    ['application/x-ndjson, */*;q=0.1', 'lines'],
    ['text/event-stream;q=0', 'page'],
    ['text/event-stream;q=0, application/json', 'page'],
    ['text/event-stream; q=0.000, application/x-ndjson', 'lines'],
  ])('returns for the Accept header "%s" the form %s', (accept, form) => {
    expect(changeForm(accept)).toBe(form);
  });
});

describe('changeRequest', () => {
  it('prefers Last-Event-ID to the cursor, unless it is empty', () => {
    expect(changeRequest({ cursor: 'a' }, 'b').cursor).toBe('b');
    expect(changeRequest({ cursor: 'a' }, '').cursor).toBe('a');
    expect(changeRequest({}, '').cursor).toBeUndefined();
  });
});
