import type { ApiClient, Json } from '../../support/api-client';
import { dataOf } from '../../support/fixture';
import type { RandomBelow } from '../../support/seeded-random';

/** Makes random writes to a datagrid. */
export class RandomRows {
  static readonly COLUMNS = [
    { key: 'name', type: 'text' },
    { key: 'n', type: 'number' },
    { key: 'details', type: 'json' },
    { key: 'note', type: 'text' },
  ];

  private ids: number[] = [];
  private serial = 0;
  private noteType = 'text';
  private renamed = 0;

  constructor(
    private readonly api: ApiClient,
    private readonly path: string,
    private readonly below: RandomBelow,
  ) {}

  async any(): Promise<void> {
    const kinds = [
      () => this.create(1),
      () => this.create(1 + this.below(40)),
      () => this.update(),
      () => this.delete(),
      () => this.batch(),
    ];
    await kinds[this.below(kinds.length)]?.();
  }

  async create(count: number): Promise<void> {
    const rows = Array.from({ length: count }, () => ({ values: this.values() }));
    const created = dataOf(await this.api.post(`${this.path}/rows`, { rows }), 201) as Json[];
    this.ids.push(...created.map(({ id }) => id as number));
  }

  /** Deletes one row of three. */
  async deleteSome(): Promise<void> {
    const deleted = this.ids.filter((_, index) => index % 3 === 0);
    const operations = deleted.map((id) => ({ op: 'delete', id }));
    for (let from = 0; from < operations.length; from += 1_000) {
      await this.write(operations.slice(from, from + 1_000));
    }
    this.ids = this.ids.filter((_, index) => index % 3 !== 0);
  }

  /** Replaces the column `note` with a new one of the same key, and writes its value in some rows. */
  async replaceColumn(): Promise<void> {
    const columns = `${this.path}/columns`;
    expect((await this.api.delete(`${columns}/note`)).status).toBe(204);
    this.noteType = this.noteType === 'text' ? 'integer' : 'text';
    dataOf(await this.api.post(columns, { key: 'note', type: this.noteType }), 201);
    for (let n = 0; n < 3; n += 1) await this.update();
  }

  /** Changes the key of the column `note`, and gives the key to a new column without values. */
  async renameColumn(): Promise<void> {
    const columns = `${this.path}/columns`;
    this.renamed += 1;
    const key = `note${String(this.renamed)}`;
    dataOf(await this.api.patch(`${columns}/note`, { key }), 200);
    dataOf(await this.api.patch(`${columns}/${key}`, { releaseKeys: ['note'] }), 200);
    dataOf(await this.api.post(columns, { key: 'note', type: this.noteType }), 201);
  }

  private async update(): Promise<void> {
    const path = `${this.path}/rows/${String(this.pick())}`;
    dataOf(await this.api.patch(path, { values: this.values() }), 200);
  }

  private async delete(): Promise<void> {
    const id = this.pick();
    expect((await this.api.delete(`${this.path}/rows/${String(id)}`)).status).toBe(204);
    this.ids = this.ids.filter((other) => other !== id);
  }

  /** Updates a row twice and deletes another one, in one request. */
  private async batch(): Promise<void> {
    const [changed, deleted] = [this.pick(), this.pick()];
    await this.write([
      { op: 'update', id: changed, values: this.values() },
      { op: 'update', id: changed, values: this.values() },
      { op: 'delete', id: deleted },
    ]);
    this.ids = this.ids.filter((id) => id !== deleted);
  }

  private async write(operations: readonly object[]): Promise<void> {
    dataOf(await this.api.post(`${this.path}/rows/batch`, { mode: 'atomic', operations }), 200);
  }

  private pick(): number {
    return this.ids[this.below(this.ids.length)] ?? 0;
  }

  private values(): Json {
    this.serial += 1;
    const text = `Zürich "${String(this.serial)}" \\ \u2028 😀 ${'x'.repeat(this.below(200))}`;
    return {
      name: text,
      n: (this.below(2 ** 31) - 2 ** 30) / 1_024,
      ...(this.below(2) === 0 && { details: { list: [1.5, null, text, 1e21], 'a.b': {} } }),
      ...(this.below(2) === 0 && { note: this.noteType === 'text' ? text : this.serial }),
    };
  }
}
