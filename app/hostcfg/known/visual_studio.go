package known

func init() {
	add(Host{
		Name: "visual-studio", Title: "Visual Studio", Way: Edit, Format: JSON, Path: []string{"servers"}, HTTP: typedURL,
		Places: func(s System) []Place {
			if s.GOOS != "windows" {
				return nil
			}
			return at(s.home(".mcp.json"))
		},
		Signs: func(s System) []string {
			if s.GOOS != "windows" {
				return nil
			}
			return []string{s.local("Microsoft", "VisualStudio")}
		},
		Dialect: Dialect{Vars: Env | Editor | Inputs, PlainURL: HTTP},
		Reload:  "Save the file once in Visual Studio, or open its tools anew.",
	})
}
