/** Values of a row of "Planes", as `datagrid types` prints them. */
export interface Plane {
  readonly no?: number;
  name: string;
  seats: number;
  airline?: number;
  readonly airlineName?: string;
}

/** Values of a new row, or of a change. */
export interface PlaneInput {
  no?: never;
  name: string;
  /** It has a default value. */
  seats?: number;
  airline?: number;
  airlineName?: never;
}

/** All values of a row. */
export interface PlaneReplacement {
  no?: number;
  name: string;
  seats: number;
  airline?: number;
  airlineName?: never;
}
