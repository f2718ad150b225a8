import { Injectable, RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { pathToRegexp } from 'path-to-regexp';

export interface Route {
  readonly method: string;
  /** With a leading slash, parameters as `:name`. */
  readonly path: string;
  readonly handler: (...args: never[]) => unknown;
}

const asList = (paths: string | string[]): string[] => (Array.isArray(paths) ? paths : [paths]);
const join = (base: string, path: string): string =>
  `/${[base, path]
    .map((part) => part.replace(/^\/|\/$/g, ''))
    .filter(Boolean)
    .join('/')}`;

/** Every route the controllers declare, as Nest's own metadata tells them. */
@Injectable()
export class RouteTable {
  private matchers: readonly { readonly route: Route; readonly regexp: RegExp }[] | undefined;

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
  ) {}

  all(): Route[] {
    return this.discovery.getControllers().flatMap(({ metatype }) => {
      if (typeof metatype !== 'function') return [];
      const prototype = metatype.prototype as Record<string, Route['handler']>;
      const bases = asList(Reflect.getMetadata(PATH_METADATA, metatype) as string | string[]);
      return this.scanner.getAllMethodNames(prototype).flatMap((name) => {
        const handler = prototype[name];
        const method =
          handler && (Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined);
        if (!handler || method === undefined) return [];
        const paths = asList(Reflect.getMetadata(PATH_METADATA, handler) as string | string[]);
        return bases.flatMap((base) =>
          paths.map((path) => ({ method: RequestMethod[method], path: join(base, path), handler })),
        );
      });
    });
  }

  /** The methods that some route takes at `path`; none where the path is unknown. */
  methodsOf(path: string): string[] {
    this.matchers ??= this.all()
      .filter((route) => route.method !== 'ALL')
      .map((route) => ({ route, regexp: pathToRegexp(route.path, { sensitive: true }).regexp }));
    const methods = this.matchers
      .filter(({ regexp }) => regexp.test(path))
      .map(({ route }) => route.method);
    return [
      ...new Set(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))),
    ].sort();
  }
}
