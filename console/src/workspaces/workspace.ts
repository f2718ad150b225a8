/** A workspace, as in the public API. */
export interface Workspace {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}
