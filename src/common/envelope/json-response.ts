import { type PageRequest, pageMeta } from '../paging/page-request';

/** Status, headers and ETag of a response. */
interface ResponseParts {
  /** The default is that of the route. */
  readonly status?: number;
  /** Override the default headers of the same name. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Strong ETag, including the quotes. A read without one gets a hash of its text. */
  readonly etag?: string | undefined;
  /** A page of a list, whose response links to other pages. */
  readonly page?: { readonly request: PageRequest; readonly totalPages: number };
  /** Whether numbers are already printed as JavaScript prints them. */
  readonly hasFinalNumbers?: true;
  /** Whether it is sent as it is, whatever memory is left. */
  readonly isComplete?: true;
}

/** Parts of an envelope other than `data`. */
interface EnvelopeParts extends ResponseParts {
  /** Members of `meta`. */
  readonly meta?: object;
  /** Keys of computed columns whose values the reader has no access to, in `meta.withheld`. */
  readonly withheld?: readonly string[];
  /** Linked rows by path and id, as a JSON object, in `meta.linked`. */
  readonly linked?: string | undefined;
}

/** Parts of the envelope of a page other than its items and total. */
type PageParts = Pick<EnvelopeParts, 'etag' | 'withheld' | 'linked'> & {
  /** Cursor that continues after the last item; `null` if none follow. Absent if the list has no cursors. */
  readonly nextCursor?: string | null | undefined;
};

/**
 * A response with JSON, as services return it to controllers. `T` is the type of `data`. The text of rows
 * comes from PostgreSQL and is copied: the hottest path does not parse JSON to serialize it again.
 */
export class JsonResponse<T = unknown> {
  private constructor(
    /** The whole body; `null` for none. */
    readonly text: string | null,
    readonly parts: ResponseParts = {},
  ) {}

  /** One object in the envelope. */
  static of<T extends object>(data: T, etag: string): JsonResponse<T> {
    return JsonResponse.printed(JSON.stringify(data), { etag });
  }

  /** JSON text in the envelope. Has no `meta` if no part of it is given. */
  static printed<T>(json: string, parts: EnvelopeParts = {}): JsonResponse<T> {
    return new JsonResponse(envelopeText(json, parts.meta, parts), parts);
  }

  /**
   * One page of a list.
   * @param total Number of items in the whole list, from the same snapshot as the page.
   */
  static page<T>(items: readonly T[], total: number, request: PageRequest): JsonResponse<T[]> {
    return JsonResponse.printedPage(JSON.stringify(items), items.length, total, request);
  }

  /** Like `page`. @param json Array of `count` items. */
  static printedPage<T>(
    json: string,
    count: number,
    total: number,
    request: PageRequest,
    parts: PageParts = {},
  ): JsonResponse<T> {
    const { etag, nextCursor } = parts;
    const meta = pageMeta(request, total, count);
    const all = nextCursor === undefined ? meta : { ...meta, nextCursor };
    const page = { request, totalPages: meta.totalPages };
    return new JsonResponse(envelopeText(json, all, parts), { etag, page });
  }

  /** Items after a cursor. @param json Array of `count` items. */
  static cursorPage<T>(
    json: string,
    count: number,
    nextCursor: string | null,
    parts: Pick<EnvelopeParts, 'etag' | 'withheld' | 'linked'> = {},
  ): JsonResponse<T> {
    return JsonResponse.printed(json, { ...parts, meta: { pageSize: count, nextCursor } });
  }

  /** A JSON document in its own format, without the envelope. */
  static bare(json: string, headers: Readonly<Record<string, string>> = {}): JsonResponse {
    return new JsonResponse(json, { headers });
  }

  /**
   * A response with this status and these headers, whose text is sent as it is.
   * @param text `null` for no body.
   * @param etag Strong ETag, including the quotes.
   */
  static complete(
    status: number,
    headers: Readonly<Record<string, string>>,
    text: string | null,
    etag?: string,
  ): JsonResponse {
    return new JsonResponse(text, { status, headers, etag, isComplete: true });
  }

  /** Parses `data` from the text. */
  get data(): T {
    return (JSON.parse(this.text ?? '{}') as { data: T }).data;
  }

  /** Strong ETag, including the quotes; empty without one. */
  get etag(): string {
    return this.parts.etag ?? '';
  }

  /** Returns the response with other text. */
  withText(text: string): JsonResponse<T> {
    return text === this.text ? this : new JsonResponse(text, this.parts);
  }

  /** A 304 response: the client has the current version, according to `If-None-Match`. */
  static notModified(etag: string): JsonResponse<never> {
    // The sender compares the ETag with that of the client once more.
    return new JsonResponse('', { etag });
  }
}

function envelopeText(
  json: string,
  meta: object | undefined,
  { withheld, linked }: Pick<EnvelopeParts, 'withheld' | 'linked'>,
): string {
  const hasWithheld = withheld !== undefined && withheld.length > 0;
  const text = metaText(hasWithheld ? { ...meta, withheld } : meta, linked);
  return text === '' ? `{"data":${json}}` : `{"data":${json},"meta":${text}}`;
}

/** Returns `meta` as JSON text; empty if there is none. */
function metaText(meta: object | undefined, linked: string | undefined): string {
  if (linked === undefined) return meta === undefined ? '' : JSON.stringify(meta);
  const text = JSON.stringify(meta ?? {});
  return `${text.slice(0, -1)}${text === '{}' ? '' : ','}"linked":${linked}}`;
}
