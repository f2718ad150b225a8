import type { ApiClient, Json } from './api-client';
import { expectFailure } from './failure';

export interface ListUnderTest {
  readonly api: ApiClient;
  /** Path relative to the API's base. The list has at least 25 items and does not change. */
  readonly path: string;
  readonly total: number;
  /** Whether a cursor continues after a page. */
  readonly hasCursor?: true;
}

/** The cursor of a page in `meta`. */
function cursorOf({ hasCursor }: ListUnderTest, hasNext: boolean): object {
  if (!hasCursor) return {};
  return { nextCursor: hasNext ? expect.any(String) : null };
}

const idsOf = (body: Json): unknown[] => (body.data as { id: unknown }[]).map(({ id }) => id);

/** Tests the paging guarantees of all lists. */
export function describePaging(list: () => ListUnderTest): void {
  describe('paging', () => {
    it('returns page 1 with at most 20 items by default', async () => {
      const { api, path, total } = list();
      const next = cursorOf(list(), true);
      const { status, body } = await api.get(path);
      const totalPages = Math.ceil(total / 20);
      expect(status).toBe(200);
      expect(Object.keys(body)).toEqual(['data', 'meta']);
      expect(body.meta).toEqual({ total, page: 1, pageSize: 20, totalPages, ...next });
      expect(body.data).toHaveLength(20);
    });

    it('returns every item once over all pages, in the order of ids', async () => {
      const { api, path, total } = list();
      const [more, none] = [cursorOf(list(), true), cursorOf(list(), false)];
      const whole = await api.get(`${path}?limit=200`);
      expect(whole.body.meta).toEqual({ total, page: 1, pageSize: total, totalPages: 1, ...none });
      const totalPages = Math.ceil(total / 7);
      const seen: unknown[] = [];
      for (let page = 1; page <= totalPages; page += 1) {
        const { body } = await api.get(`${path}?page=${String(page)}&limit=7`);
        const pageSize = page < totalPages ? 7 : total - (totalPages - 1) * 7;
        const next = page < totalPages ? more : none;
        expect(body.meta).toEqual({ total, page, pageSize, totalPages, ...next });
        expect(body.data).toHaveLength(pageSize);
        seen.push(...idsOf(body));
      }
      expect(seen).toEqual(idsOf(whole.body));
      expect(new Set(seen).size).toBe(total);
    });

    it.each([9, 1_000_000_000, 45_035_996_273_704])(
      'returns an empty page after the last one: page %d',
      async (page) => {
        const { api, path, total } = list();
        const { status, body } = await api.get(`${path}?page=${String(page)}&limit=200`);
        expect(status).toBe(200);
        const meta = { total, page, pageSize: 0, totalPages: 1, ...cursorOf(list(), false) };
        expect(body).toEqual({ data: [], meta });
      },
    );

    it('links to the first, previous, next and last page', async () => {
      const { api, path, total } = list();
      const last = Math.ceil(total / 10);
      const link = async (page: number): Promise<string | null> =>
        (await api.get(`${path}?page=${String(page)}&limit=10`)).headers.get('link');
      const links = (pages: Record<string, number>): string =>
        Object.entries(pages)
          .map(([relation, page]) => {
            const url = `/api/v1/public${path}?page=${String(page)}&limit=10`;
            return `<${url}>; rel="${relation}"`;
          })
          .join(', ');
      expect(await link(1)).toBe(links({ first: 1, next: 2, last }));
      expect(await link(2)).toBe(links({ first: 1, prev: 1, next: 3, last }));
      expect(await link(last)).toBe(links({ first: 1, prev: last - 1, last }));
      expect(await link(last + 7)).toBe(links({ first: 1, prev: last, last }));
    });

    it('returns 304 if nothing has changed', async () => {
      const { api, path } = list();
      const { headers } = await api.get(`${path}?limit=5`);
      const etag = headers.get('etag') ?? '';
      expect(etag).toMatch(/^(W\/)?"[^"]+"$/);
      const again = await api.get(`${path}?limit=5`, { 'if-none-match': etag });
      expect([again.status, again.text]).toEqual([304, '']);
      const stale = await api.get(`${path}?limit=5`, { 'if-none-match': '"other"' });
      expect(stale.status).toBe(200);
    });

    it('returns 400 and names all unknown parameters', async () => {
      const { api, path } = list();
      const response = await api.get(`${path}?pages=1&page=1&order=name&page[]=2`);
      expectFailure(response, 'invalid_request', [
        'pages unknown_parameter',
        'order unknown_parameter',
        'page[] unknown_parameter',
      ]);
    });
  });
}
