import type { ApiResponse, Json } from './api-client';

/** The datagrids of a workspace, as a reader of its changes knows them. */
export class WorkspaceCopy {
  readonly revisions = new Map<string, number>();
  cursor: string | undefined;
  /** Times at which the reader had more datagrids than the workspace. */
  startedOver = 0;
  private readonly stale = new Set<string>();

  get ids(): string[] {
    return [...this.revisions.keys()];
  }

  /**
   * Applies a page.
   * @param onChanged Called for each datagrid that may have changed.
   * @throws if a datagrid goes back to an earlier revision
   */
  async apply(
    response: ApiResponse,
    onChanged: (id: string) => Promise<void> = () => Promise.resolve(),
  ): Promise<void> {
    expect(response.status).toBe(200);
    const { data, meta } = response.body;
    expect(meta.pageSize).toBe(data.length);
    for (const item of data as Json[]) {
      if (item.op === 'delete') this.revisions.delete(item.id);
      else {
        const { id, revision } = item.datagrid;
        if (revision < (this.revisions.get(id) ?? 0)) throw new Error(`${id as string} went back`);
        this.revisions.set(id, revision);
        this.stale.delete(id);
        await onChanged(id);
      }
    }
    this.cursor = meta.nextCursor;
    if (meta.upToDate !== true) return;
    for (const id of this.stale) this.revisions.delete(id);
    this.stale.clear();
    if (this.revisions.size === meta.total) return;
    expect(this.revisions.size).toBeGreaterThan(meta.total);
    this.startedOver += 1;
    for (const id of this.ids) this.stale.add(id);
    this.cursor = undefined;
  }

  /** Reads pages until the copy is up to date. */
  async catchUp(
    get: (query: string) => Promise<ApiResponse>,
    onChanged?: (id: string) => Promise<void>,
  ): Promise<void> {
    for (let page = 0; page < 1_000; page += 1) {
      const response = await get(`cursor=${this.cursor ?? ''}`);
      await this.apply(response, onChanged);
      if (response.body.meta.upToDate === true && this.cursor !== undefined) return;
    }
    throw new Error('The reader does not come to the end.');
  }
}
