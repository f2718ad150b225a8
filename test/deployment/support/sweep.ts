import type { Json } from '../../support/api-client';
import { apiOf, NAME_START } from './deployment';

interface Named {
  readonly id: string;
  readonly name: string;
  readonly createdAt?: string;
  readonly deletedAt?: string;
}

/**
 * Deletes workspaces whose names have this start, with their datagrids, permanently.
 * @returns the names of those that remain.
 */
export async function sweep(nameStart: string, before = new Date()): Promise<string[]> {
  const api = apiOf('own');
  const isLeft = ({ name, createdAt, deletedAt }: Named): boolean =>
    name.startsWith(nameStart) && new Date(deletedAt ?? createdAt ?? 0) <= before;
  for (const { id } of await all('/workspaces', isLeft)) {
    await api.delete(`/workspaces/${id}?cascade=true`);
    await api.delete(`/trash/${id}`);
  }
  for (const { id } of await all('/trash', isLeft)) await api.delete(`/trash/${id}`);
  const left = [...(await all('/workspaces', isLeft)), ...(await all('/trash', isLeft))];
  return left.map(({ name }) => name);
}

/** Deletes what interrupted runs have left, if it is older than a day. */
export const sweepOld = (): Promise<string[]> =>
  sweep(NAME_START, new Date(Date.now() - 24 * 3_600_000));

async function all(path: string, isWanted: (item: Named) => boolean): Promise<Named[]> {
  const found: Named[] = [];
  for (let page = 1; ; page += 1) {
    const { body } = await apiOf('own').get(`${path}?limit=200&page=${String(page)}`);
    const { data, meta }: Json = body;
    found.push(...(data as Named[]).filter(isWanted));
    if (page >= Number(meta.totalPages)) return found;
  }
}
