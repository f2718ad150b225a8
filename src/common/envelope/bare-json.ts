/** JSON text that goes out as it is, in no envelope: a document of a format of its own. */
export class BareJson {
  constructor(readonly json: string) {}
}
